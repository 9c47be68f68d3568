/// What figures that are kept in a file hold for: another compiler makes other code.
public enum Toolchain {
    public static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "another"
        #endif
    }

    public static var compiler: String {
        #if compiler(>=6.4)
            "later than 6.3"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
