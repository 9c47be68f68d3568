import Foundation

/// A parsed JSON document, to look into.
struct JSONObject {
    private let root: Any

    init(_ text: String) throws {
        root = try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    /// The value at a path of keys and positions, as text: `null`, `true`, digits, or the text
    /// itself; nil when there is nothing at the path.
    subscript(_ path: Any...) -> String? { self[path] }

    subscript(_ path: [Any]) -> String? {
        var value = root
        for step in path {
            if let key = step as? String, let object = value as? [String: Any],
                let next = object[key]
            {
                value = next
            } else if let index = step as? Int, let array = value as? [Any],
                array.indices.contains(index)
            {
                value = array[index]
            } else {
                return nil
            }
        }
        switch value {
        case is NSNull: return "null"
        case let text as String: return text
        case let number as NSNumber:
            // Only booleans are of this class.
            return type(of: number) == type(of: NSNumber(value: true))
                ? number.boolValue ? "true" : "false" : number.stringValue
        case let array as [Any]: return "[\(array.count)]"
        default: return "\(value)"
        }
    }
}
