// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target of ours: a warning is an error, so that none is ever merged.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "chatelaine",
    products: [
        // One library holds every public face, so that a process never has two copies of it.
        .library(name: "Security", type: .dynamic, targets: ["Security", "ChatelaineCInterface"]),
        .executable(name: "securityd", targets: ["securityd"]),
        .executable(name: "enclaved", targets: ["enclaved"]),
        .executable(name: "security", targets: ["security"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Floor 0: the C calls that Swift's Glibc module lacks, and memory for secrets.
        .target(name: "CChatelaine"),
        .target(name: "ChatelaineMemory", dependencies: ["CChatelaine"], swiftSettings: strict),
        // Descriptors, error numbers and sockets in every process; files, processes and the log in our own.
        .target(name: "ChatelaineSystem", dependencies: ["CChatelaine"], swiftSettings: strict),
        .target(name: "SystemCalls", dependencies: ["ChatelaineSystem", "CChatelaine"], swiftSettings: strict),
        // Objects of CoreFoundation for the C interface; the headers are those that C programs get.
        .target(name: "CChatelaineFoundation", cSettings: [.headerSearchPath("../../Headers")]),

        .target(name: "Sandbox", dependencies: ["CChatelaine"], swiftSettings: strict),

        .target(name: "DaemonOptions", swiftSettings: strict),

        // Floor 1: values.
        .target(
            name: "ChatelaineModel", dependencies: ["ChatelaineMemory", "ChatelaineSystem"], swiftSettings: strict),

        // Floor 2: one mechanism each.
        .target(name: "Sealing", dependencies: ["ChatelaineModel", "ChatelaineMemory", crypto], swiftSettings: strict),
        .target(
            name: "ChatelaineIPC",
            dependencies: ["ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "CChatelaine"],
            swiftSettings: strict),
        .target(
            name: "ServerIPC",
            dependencies: [
                "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls",
                "CChatelaine",
            ],
            swiftSettings: strict),
        .target(
            name: "EnclaveProtocol", dependencies: ["ChatelaineModel", "ChatelaineMemory", "Sealing"],
            swiftSettings: strict),
        .target(
            name: "CallerIdentity",
            dependencies: [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls", "CChatelaine", crypto,
            ],
            swiftSettings: strict),
        .target(
            name: "Enclave",
            dependencies: [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls", "EnclaveProtocol", "Sealing",
                crypto,
            ],
            swiftSettings: strict),
        .target(name: "CSQLiteSettings", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "ItemStore",
            dependencies: [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls", "Sealing",
                "CSQLiteSettings", grdb, sqlite, "EnclaveProtocol",
            ],
            swiftSettings: strict),

        // Floor 3: the daemon, and Apple's API.
        .target(
            name: "SecurityServer",
            dependencies: [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineIPC", "CallerIdentity", "ItemStore", "Sealing",
                "Sandbox", "ChatelaineSystem", "SystemCalls", "CChatelaine", "ServerIPC", "EnclaveProtocol",
            ],
            swiftSettings: strict),
        .target(name: "CoreFoundation", swiftSettings: strict),
        .target(
            name: "Security", dependencies: ["CoreFoundation", "ChatelaineModel", "ChatelaineMemory", "ChatelaineIPC"],
            swiftSettings: strict),

        .target(
            name: "ChatelaineCInterface",
            dependencies: ["Security", "ChatelaineModel", "ChatelaineMemory", "CChatelaineFoundation"],
            swiftSettings: strict),

        .target(
            name: "SecurityTool",
            dependencies: ["ChatelaineModel", "ChatelaineMemory", "ChatelaineIPC", "CChatelaine", arguments],
            swiftSettings: strict),

        // Executables: arguments and wiring.
        .executableTarget(
            name: "securityd", dependencies: ["SecurityServer", "ChatelaineIPC", "DaemonOptions"], swiftSettings: strict
        ),
        .executableTarget(
            name: "enclaved",
            dependencies: [
                "Enclave", "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "Sandbox", "SystemCalls",
                "CChatelaine", "DaemonOptions", "EnclaveProtocol", "ServerIPC",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "security", dependencies: ["SecurityTool", "ChatelaineMemory"], swiftSettings: strict),

        // Manual pages and completions, written from what the programs themselves say. Nothing that is installed has it.
        .target(
            name: "ManualPages", dependencies: ["SecurityTool", "DaemonOptions", "ChatelaineModel", arguments],
            swiftSettings: strict),
        .executableTarget(name: "generate-pages", dependencies: ["ManualPages"], swiftSettings: strict),

        // Measures the daemons beside the machine's bare floor.
        .target(
            name: "c_caller", dependencies: ["CChatelaineFoundation"], path: "Benchmarks/c-caller",
            cSettings: [.headerSearchPath("../../Headers")]),
        .executableTarget(
            name: "chatelaine-bench",
            dependencies: [
                "Security", "ChatelaineCInterface", "c_caller", "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory",
                "CChatelaine", crypto, sqlite,
            ],
            path: "Benchmarks/chatelaine-bench", swiftSettings: strict),

        // Tests mirror the targets; a probe copied to another path is another application.
        .executableTarget(
            name: "probe", dependencies: ["Security", "ChatelaineIPC"], path: "Tests/Fixtures/probe",
            swiftSettings: strict),
        .executableTarget(
            name: "attacker",
            dependencies: ["ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "CChatelaine", "TestSupport"],
            path: "Tests/attacks/attacker", swiftSettings: strict),
        // What test targets and their fixtures share.
        .target(name: "TestSupport", dependencies: ["CChatelaine"], path: "Tests/TestSupport", swiftSettings: strict),
        .target(name: "attempts", path: "Tests/attacks/attempts"),
        .executableTarget(
            name: "captive", dependencies: ["Sandbox", "CChatelaine", "attempts"], path: "Tests/Fixtures/captive",
            swiftSettings: strict),
        // Both daemons' work on files in one process, whose calls of the C library can be made to fail.
        .target(name: "seam", path: "Tests/Fixtures/seam"),
        .target(
            name: "InProcess",
            dependencies: [
                "ItemStore", "Enclave", "EnclaveProtocol", "Sealing", "CallerIdentity", "ChatelaineIPC",
                "ChatelaineModel", "ChatelaineMemory", grdb,
            ],
            path: "Tests/Fixtures/in-process", swiftSettings: strict),
        .executableTarget(
            name: "ordeal",
            dependencies: [
                "InProcess", "ItemStore", "CallerIdentity", "ChatelaineModel", "ChatelaineMemory", "TestSupport",
                "seam",
                sqlite,
            ],
            path: "Tests/Fixtures/ordeal", swiftSettings: strict),
        // Homes as each version wrote them, for every later one to read.
        .target(
            name: "StoredHomes", dependencies: ["ItemStore", "ChatelaineModel", "ChatelaineMemory"],
            path: "Tests/Fixtures/stored-homes", swiftSettings: strict),
        .executableTarget(
            name: "make-homes",
            dependencies: [
                "StoredHomes", "InProcess", "ItemStore", "CallerIdentity", "ChatelaineModel", "ChatelaineMemory",
                sqlite,
            ],
            path: "Tests/Fixtures/make-homes", swiftSettings: strict),
        .testTarget(
            name: "HomesTests",
            dependencies: [
                "StoredHomes", "InProcess", "ItemStore", "CallerIdentity", "ChatelaineModel", "ChatelaineMemory",
                "security", "securityd", "enclaved",
                "TestSupport",
            ],
            swiftSettings: strict),
        // Not a dependency: SwiftPM would link its calls of the C library into the one bundle of all tests.
        .testTarget(name: "OrdealTests", dependencies: ["TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SandboxTests", dependencies: ["Sandbox", "CChatelaine", "captive", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ChatelaineIPC", "ChatelaineModel", "CChatelaine", "probe", "attacker", "securityd", "enclaved",
                "security", "TestSupport", sqlite,
            ],
            swiftSettings: strict),
        .testTarget(name: "ChatelaineMemoryTests", dependencies: ["ChatelaineMemory"], swiftSettings: strict),
        .testTarget(
            name: "SealingTests", dependencies: ["Sealing", "ChatelaineModel", "ChatelaineMemory"],
            swiftSettings: strict),
        .testTarget(
            name: "EnclaveProtocolTests",
            dependencies: ["EnclaveProtocol", "Sealing", "ChatelaineModel", "ChatelaineMemory"],
            swiftSettings: strict),
        .testTarget(
            name: "EnclaveTests",
            dependencies: [
                "Enclave", "enclaved", "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem",
                "SystemCalls", "CChatelaine", "Sealing", "TestSupport", "EnclaveProtocol", "ServerIPC",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SecurityToolTests",
            dependencies: [
                "SecurityTool", "security", "securityd", "enclaved", "ChatelaineModel", "ChatelaineMemory",
                "ChatelaineIPC", "CChatelaine",
                "TestSupport",
            ],
            exclude: ["Snapshots"], swiftSettings: strict),
        .testTarget(
            name: "SecurityServerTests",
            dependencies: [
                "SecurityServer", "InProcess", "ItemStore", "Enclave", "enclaved", "EnclaveProtocol", "ChatelaineIPC",
                "ServerIPC", "CallerIdentity", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls",
                "CChatelaine", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(name: "ManualPagesTests", dependencies: ["ManualPages"], swiftSettings: strict),
        .testTarget(
            name: "ChatelaineModelTests", dependencies: ["ChatelaineModel", "ChatelaineMemory", "TestSupport"],
            exclude: ["Fixtures"], swiftSettings: strict),
        .testTarget(
            name: "ChatelaineIPCTests",
            dependencies: [
                "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "CChatelaine",
                "TestSupport", "ServerIPC",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SecurityTests",
            dependencies: ["Security", "ChatelaineModel", "ChatelaineCInterface", "CChatelaineFoundation"],
            swiftSettings: strict),
        .testTarget(
            name: "ItemStoreTests",
            dependencies: [
                "ItemStore", "InProcess", "ChatelaineModel", "ChatelaineMemory", "Sealing", grdb, sqlite,
                "TestSupport", "EnclaveProtocol",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CallerIdentityTests",
            dependencies: [
                "CallerIdentity", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls",
                "CChatelaine",
                "TestSupport",
            ],
            swiftSettings: strict),

        // What a fuzzer searches (Tools/build-fuzz.sh compiles it for that), here fed with what it has found.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "Security", "ItemStore", "Enclave", "ChatelaineIPC", "Sealing", "ChatelaineModel", "ChatelaineMemory",
                "ChatelaineSystem", "CChatelaine", sqlite, "EnclaveProtocol",
            ],
            path: "Fuzz", exclude: ["CFuzzer", "Corpus", "Findings", "chatelaine-fuzz"], sources: ["Targets", "Tests"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
