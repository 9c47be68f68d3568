import Foundation

/// How packages are identified: by name alone where they run on the native architecture.
struct PackageNaming: Sendable {
    let nativeArchitecture: String

    init(nativeArchitecture: String) {
        self.nativeArchitecture = nativeArchitecture
    }

    func id(of name: String, architecture: String) -> String {
        isForeign(architecture) ? "\(name):\(architecture)" : name
    }

    func isForeign(_ architecture: String) -> Bool {
        architecture != nativeArchitecture && architecture != "all" && architecture != "any"
    }

    /// The architecture that this machine's dpkg takes for native.
    static var machineArchitecture: String {
        // dpkg writes this file once a foreign architecture was added; the native one comes first.
        let noted = try? String(contentsOfFile: "/var/lib/dpkg/arch", encoding: .utf8)
        return noted?.split(whereSeparator: \.isNewline).first.map(String.init) ?? builtFor
    }

    private static var builtFor: String {
        #if arch(x86_64)
            "amd64"
        #elseif arch(arm64)
            "arm64"
        #elseif arch(arm)
            "armhf"
        #elseif arch(i386)
            "i386"
        #elseif arch(riscv64)
            "riscv64"
        #elseif arch(powerpc64le)
            "ppc64el"
        #elseif arch(s390x)
            "s390x"
        #else
            "all"
        #endif
    }
}
