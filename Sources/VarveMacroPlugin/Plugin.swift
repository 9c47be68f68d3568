// The toolchain's own copy of SwiftSyntax has no SwiftCompilerPlugin module, so the plugin answers
// the compiler's messages itself there. Elsewhere the swift-syntax package brings that module.
import SwiftSyntaxMacros

#if VARVE_TOOLCHAIN_SYNTAX
    @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
#else
    import SwiftCompilerPlugin
#endif

#if VARVE_TOOLCHAIN_SYNTAX
    struct UnknownMacro: Error {
        let typeName: String
    }

    struct MacroProvider: PluginProvider {
        func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
            for macro in ProvidedMacros.all where "\(macro)" == typeName { return macro }
            throw UnknownMacro(typeName: typeName)
        }
    }

    @main
    struct VarvePlugin {
        static func main() throws {
            let connection = try StandardIOMessageConnection()
            let listener = CompilerPluginMessageListener(
                connection: connection, provider: MacroProvider())
            try listener.main()
        }
    }
#else
    @main
    struct VarvePlugin: CompilerPlugin {
        var providingMacros: [any Macro.Type] { ProvidedMacros.all }
    }
#endif
