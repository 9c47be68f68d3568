import Foundation

/// What a child does at one of its stages: it says for which engine, how much and where.
protocol Work {
    var child: Child { get }
}

extension Work {
    var name: EngineName { child.engine }
    var work: Workload { Workload(size: child.size) }
    var directory: URL { child.directory }
}
