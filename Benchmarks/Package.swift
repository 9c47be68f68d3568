// swift-tools-version: 6.2
import PackageDescription

let varve = Target.Dependency.product(name: "Varve", package: "varve")

// A package of its own, so that what is measured is measured from a client's module, and so that
// nothing it may need ever reaches a user of the library.
let package = Package(
    name: "varve-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "varve", path: "..")],
    targets: [
        .target(name: "CHeap"),
        .systemLibrary(
            name: "CRocksDB", providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
        .systemLibrary(
            name: "CLevelDB", providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),
        .systemLibrary(name: "CLMDB", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // What the programs share: data, clocks, medians.
        .target(name: "BenchmarkSupport"),
        .executableTarget(
            name: "ContextBenchmark", dependencies: ["BenchmarkSupport", "CHeap", varve]),
        .executableTarget(name: "CountBenchmark", dependencies: ["BenchmarkSupport", varve]),
        // Imports nothing of the library: what depends on it finds it built.
        .executableTarget(name: "CompileBenchmark", dependencies: ["BenchmarkSupport", varve]),
        .executableTarget(
            name: "PeerBenchmark",
            dependencies: [
                "BenchmarkSupport", "CRocksDB", "CLevelDB", "CLMDB", "CSQLite", varve,
            ]),
        .executableTarget(name: "AssetBenchmark", dependencies: ["BenchmarkSupport", varve]),
        .executableTarget(name: "LiveBenchmark", dependencies: ["BenchmarkSupport", varve]),
        .executableTarget(name: "TimeBenchmark", dependencies: ["BenchmarkSupport", varve]),
        // Prepares a store for Benchmarks/tool.
        .executableTarget(name: "ItemIndexes", dependencies: [varve]),
    ]
)
