import Testing
import Foundation
@Suite struct Overview {
    @Test func all() throws {
        let store = try SampleStore.filled()
        for w in [80, nil] as [Int?] {
            print(ToolRun("info", store.path, terminalWidth: w).output)
            print(ToolRun("log", store.path, terminalWidth: w).output)
            for i in 1...9 { print(ToolRun("show", store.path, "\(i)", terminalWidth: w).output) }
        }
        print(ToolRun("info", "--json", store.path))
        print(ToolRun("log", "--json", store.path).output)
        for i in 1...9 { print(ToolRun("show", store.path, "\(i)", "-j").output) }
        print(ToolRun("cat", store.path, "User").output)
        print(ToolRun("cat", store.path, "User", "-d").output)
        print(ToolRun("cat", store.path, "Chat", "7").output)
        print(ToolRun("verify", store.path))
        try? FileManager.default.copyItem(atPath: store.path, toPath: "/tmp/sample-tool.varve")
    }
}
