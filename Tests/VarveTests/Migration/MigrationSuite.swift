import Varve
import VarveTestSupport

/// Tests that open one simulated disk with the types of one version of an app after the other.
protocol MigrationSuite {}

extension MigrationSuite {
    func open(
        _ disk: SimulatedDisk, _ types: [any EntityModelProtocol.Type],
        _ migrations: [Migration] = []
    ) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: migrations, types: types)
    }
}
