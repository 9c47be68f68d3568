internal import VarveEvents

extension EntityDescriptor {
    /// What keeps an encoded row from being read: the first property that cannot be, with its value; nil where all can.
    ///
    /// For a row that could not be read: each property's codec is looked up at run time.
    package func problem(inRow row: UnsafeRawBufferPointer) -> CodecError? {
        var reader = ByteReader(row)
        for field in fields {
            guard case .stored(let type, _) = field.kind else { continue }
            let start = reader.position
            do throws(CodecError) {
                try type.skip(&reader)
            } catch {
                return .unreadableProperty(field.name, value: "", error)
            }
            let value = reader.slice(from: start, to: reader.position)
            if let error = field.problem(in: value) {
                let text = type.text(of: value)
                return .unreadableProperty(
                    field.name, value: text.count > 200 ? text.prefix(200) + "…" : text,
                    error.naming(field.name))
            }
        }
        return nil
    }
}

extension FieldDescription {
    /// Why bytes are not a value of the property's type; nil where they are.
    fileprivate func problem(in bytes: UnsafeRawBufferPointer) -> CodecError? {
        func load<Value>(_ type: Value.Type) -> CodecError? {
            var reader = ByteReader(bytes)
            do throws(CodecError) {
                _ = try _FieldCodec.load(from: &reader) as Value
                try reader.expectEnd()
                return nil
            } catch {
                return error
            }
        }
        return _openExistential(valueType, do: load)
    }
}
