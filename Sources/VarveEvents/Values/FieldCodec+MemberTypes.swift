/// The types of properties and of enum payloads, for generated code: it stands at file scope, where
/// the names of types that are nested beside an entity or a value would not be found.
extension _FieldCodec {
    public static func type<Root, Value>(of path: KeyPath<Root, Value>) -> Value.Type { Value.self }

    // The first eight values of an enum's payload, from the case's constructor.

    public static func payloadType0<A, each Rest, Whole>(
        _ make: (A, repeat each Rest) -> Whole
    ) -> A.Type { A.self }

    public static func payloadType1<A, B, each Rest, Whole>(
        _ make: (A, B, repeat each Rest) -> Whole
    ) -> B.Type { B.self }

    public static func payloadType2<A, B, C, each Rest, Whole>(
        _ make: (A, B, C, repeat each Rest) -> Whole
    ) -> C.Type { C.self }

    public static func payloadType3<A, B, C, D, each Rest, Whole>(
        _ make: (A, B, C, D, repeat each Rest) -> Whole
    ) -> D.Type { D.self }

    public static func payloadType4<A, B, C, D, E, each Rest, Whole>(
        _ make: (A, B, C, D, E, repeat each Rest) -> Whole
    ) -> E.Type { E.self }

    public static func payloadType5<A, B, C, D, E, F, each Rest, Whole>(
        _ make: (A, B, C, D, E, F, repeat each Rest) -> Whole
    ) -> F.Type { F.self }

    public static func payloadType6<A, B, C, D, E, F, G, each Rest, Whole>(
        _ make: (A, B, C, D, E, F, G, repeat each Rest) -> Whole
    ) -> G.Type { G.self }

    public static func payloadType7<A, B, C, D, E, F, G, H, each Rest, Whole>(
        _ make: (A, B, C, D, E, F, G, H, repeat each Rest) -> Whole
    ) -> H.Type { H.self }
}
