// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what is measured is measured from a client's module, and so that
// nothing it may need ever reaches a user of the library.
let package = Package(
    name: "varve-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "varve", path: "..")],
    targets: [
        .target(name: "CHeap"),
        .executableTarget(
            name: "ContextBenchmark",
            dependencies: ["CHeap", .product(name: "Varve", package: "varve")]),
        .systemLibrary(name: "CRocksDB", providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
        .systemLibrary(name: "CLevelDB", providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),
        .systemLibrary(name: "CLMDB", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .executableTarget(
            name: "PeerBenchmark",
            dependencies: [
                "CRocksDB", "CLevelDB", "CLMDB", "CSQLite",
                .product(name: "Varve", package: "varve"),
            ]),
        .executableTarget(
            name: "QueryBenchmark", dependencies: [.product(name: "Varve", package: "varve")]),
        .executableTarget(
            name: "LiveBenchmark", dependencies: [.product(name: "Varve", package: "varve")]),
        .executableTarget(
            name: "TimeBenchmark", dependencies: [.product(name: "Varve", package: "varve")]),
    ]
)
