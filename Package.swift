// swift-tools-version: 6.2
import PackageDescription

/// The floors of the project, a folder of `Sources` and of `Tests` each. A target depends on its own floor and on those
/// below; the end of this file sees to it.
enum Floor: String, CaseIterable {
    /// The C calls that Swift's Glibc module lacks, memory for secrets, descriptors, files, processes, sandboxes.
    case platform = "Platform"
    /// Values: items, attributes, queries, statuses, and their encoding.
    case model = "Model"
    /// What is said between processes.
    case wire = "Protocol"
    /// Sealing, and the custodian of the keys.
    case keys = "Keys"
    /// Rows on disk, and items as rows.
    case storage = "Storage"
    /// Who asks.
    case authority = "Authority"
    case server = "Server"
    /// Apple's API, for Swift and for C.
    case faces = "Faces"
    case tools = "Tools"
    /// Arguments and wiring.
    case programs = "Programs"

    /// Those of one level may use each other.
    var level: Int {
        switch self {
        case .platform: 0
        case .model: 1
        case .wire, .keys, .storage, .authority: 2
        case .server, .faces: 3
        case .tools: 4
        case .programs: 5
        }
    }
}

/// Settings of every target of ours: a warning is an error, so that none is ever merged.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

extension Target {
    /// A module in the folder of its floor.
    static func module(_ floor: Floor, _ name: String, _ dependencies: [Dependency] = []) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/\(floor.rawValue)/\(name)", swiftSettings: strict)
    }

    /// A module in C.
    static func cModule(
        _ floor: Floor, _ name: String, cSettings: [CSetting] = [], linkerSettings: [LinkerSetting] = []
    ) -> Target {
        .target(
            name: name, path: "Sources/\(floor.rawValue)/\(name)", cSettings: cSettings, linkerSettings: linkerSettings)
    }

    static func program(_ name: String, _ dependencies: [Dependency]) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: "Sources/\(Floor.programs.rawValue)/\(name)",
            swiftSettings: strict)
    }

    /// Tests of a floor. What they start is among their dependencies, so that it is built.
    static func tests(
        _ floor: Floor, _ name: String, _ dependencies: [Dependency], exclude: [String] = []
    ) -> Target {
        .testTarget(
            name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(floor.rawValue)/\(name)",
            exclude: exclude, swiftSettings: strict)
    }

    /// What tests use, in a folder of its own below `Tests`.
    static func fixture(_ path: String, _ name: String, _ dependencies: [Dependency]) -> Target {
        .target(name: name, dependencies: dependencies, path: "Tests/\(path)", swiftSettings: strict)
    }

    static func fixtureProgram(_ path: String, _ name: String, _ dependencies: [Dependency]) -> Target {
        .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(path)", swiftSettings: strict)
    }
}

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "chatelaine",
    products: [
        // One library holds every public face, so that a process never has two copies of it.
        .library(
            name: "Security", type: .dynamic, targets: ["Security", "LocalAuthentication", "ChatelaineCInterface"]),
        .executable(name: "securityd", targets: ["securityd"]),
        .executable(name: "enclaved", targets: ["enclaved"]),
        .executable(name: "keyd", targets: ["keyd"]),
        .executable(name: "security-agent", targets: ["security-agent"]),
        .executable(name: "formatd", targets: ["formatd"]),
        .executable(name: "fetchd", targets: ["fetchd"]),
        .executable(name: "security", targets: ["security"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // HTTP for what certificates name, in fetchd alone.
        .cModule(.platform, "CFetch", linkerSettings: [.linkedLibrary("curl")]),
        .cModule(.platform, "CChatelaine"),
        // Descriptors, error numbers, sockets and locks in every process; processes and the log in our own. Of the
        // files, a program that loads the library writes those alone by which root trusts.
        .module(.platform, "ChatelaineSystem", ["CChatelaine"]),
        .module(.platform, "ChatelaineMemory", ["CChatelaine", "ChatelaineSystem"]),
        .module(.platform, "SystemCalls", ["ChatelaineSystem", "CChatelaine"]),
        .module(.platform, "Sandbox", ["CChatelaine", "ChatelaineSystem"]),
        // What people take for passwords, in the command and in the agent, whose prompts ask for new ones.
        .cModule(.platform, "CPasswordStrength", linkerSettings: [.linkedLibrary("zxcvbn")]),
        .module(.platform, "PasswordQuality", ["ChatelaineMemory", "CPasswordStrength"]),
        // The system bus, by a library that is loaded where it is wanted: in one helper of securityd.
        .cModule(.platform, "CSystemBus"),

        .module(.model, "ChatelaineModel", ["ChatelaineMemory", "ChatelaineSystem"]),

        .module(
            .wire, "ChatelaineIPC", ["ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "CChatelaine"]),
        .module(
            .wire, "ServerIPC",
            [
                "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls",
                "CChatelaine",
            ]),
        .module(.wire, "EnclaveProtocol", ["ChatelaineModel", "ChatelaineMemory", "Sealing"]),

        .module(.wire, "AgentProtocol", ["ChatelaineModel", "ChatelaineSystem"]),

        .module(.wire, "TrustProtocol", ["ChatelaineModel"]),

        .module(.wire, "FormatProtocol", ["ChatelaineModel", "ChatelaineMemory"]),
        .module(.wire, "FetchProtocol", ["ChatelaineModel"]),

        // What is set about trust in certificates, as programs read and change it; no daemon has it.
        .module(
            .wire, "ChatelaineTrustSettings",
            [
                "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "ChatelaineCryptography",
            ]),

        // Which identity is preferred for a service, likewise.
        .module(
            .wire, "ChatelaineIdentityPreferences", ["ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory"]),

        .module(.keys, "Sealing", ["ChatelaineModel", "ChatelaineMemory", crypto]),
        .cModule(.keys, "CArgon2", linkerSettings: [.linkedLibrary("argon2")]),
        // OpenSSL's libcrypto, by a library that is loaded with the first key.
        .cModule(.keys, "CChatelaineCrypto"),
        .module(.keys, "ChatelaineCryptography", ["ChatelaineModel", "ChatelaineMemory", "CChatelaineCrypto"]),
        // The same library, linked: in the process that reads files of others, which shuts itself in before it could
        // load one.
        .cModule(.keys, "CKeyFormats", linkerSettings: [.linkedLibrary("crypto")]),
        .module(.keys, "KeyFormats", ["ChatelaineModel", "ChatelaineMemory", "CKeyFormats"]),
        // What calculates with private keys of the keychain, in a process of its own.
        .module(
            .keys, "KeyWorker",
            [
                "ChatelaineCryptography", "ChatelaineModel", "ChatelaineMemory", "Sealing", "EnclaveProtocol",
                "ChatelaineIPC",
            ]),
        .module(
            .keys, "Enclave",
            [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls", "ChatelaineIPC", "ServerIPC",
                "EnclaveProtocol", "Sealing", "CArgon2", "CChatelaine", crypto,
            ]),

        .cModule(.storage, "CSQLiteSettings", linkerSettings: [.linkedLibrary("sqlite3")]),
        .module(
            .storage, "StoreEngine",
            [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls", "Sealing", "CSQLiteSettings",
                grdb, sqlite,
            ]),
        .module(
            .storage, "ItemStore",
            [
                "StoreEngine", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "Sealing", grdb,
                "EnclaveProtocol",
            ]),

        .module(
            .storage, "FileKeychains",
            [
                "ItemStore", "StoreEngine", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls",
                "Sealing", "EnclaveProtocol",
            ]),

        .module(
            .authority, "CallerIdentity",
            [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls", "CChatelaine",
                "TrustProtocol", crypto,
            ]),

        // Strict about a signature's text. What says whether it is genuine is in the package in `Trust`.
        .module(.authority, "SignatureFormat", ["ChatelaineModel"]),

        .module(
            .server, "SecurityServer",
            [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineIPC", "CallerIdentity", "ItemStore", "StoreEngine",
                "FileKeychains", "Sealing", "Sandbox", "ChatelaineSystem", "SystemCalls", "CChatelaine", "CSystemBus",
                "ServerIPC", "EnclaveProtocol", "AgentProtocol", "TrustProtocol", "FormatProtocol", "FetchProtocol",
                crypto,
            ]),
        .module(
            .server, "AgentDialogs",
            [
                "AgentProtocol", "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem",
                "PasswordQuality", "CChatelaine",
            ]),

        .module(.faces, "CoreFoundation"),
        // Objects of CoreFoundation for the C interface; the headers are those that C programs get.
        .cModule(.faces, "CChatelaineFoundation", cSettings: [.headerSearchPath("../../../Headers")]),
        // By itself, since programs in Swift have it as well.
        .cModule(.faces, "CChatelaineRunLoop", cSettings: [.headerSearchPath("../../../Headers")]),
        .module(
            .faces, "Security",
            [
                "CoreFoundation", "ChatelaineModel", "ChatelaineMemory", "ChatelaineIPC", "ChatelaineSystem",
                "CChatelaine", "CChatelaineRunLoop",
                "ChatelaineCryptography", "ChatelaineTrustSettings", "ChatelaineIdentityPreferences",
            ]),
        .module(
            .faces, "LocalAuthentication",
            ["Security", "ChatelaineModel", "ChatelaineMemory", "ChatelaineIPC", "ChatelaineSystem"]),
        // swift-crypto's API, and keys of the enclave. Installed as source (decision 18): libSecurity.so has no code of
        // others.
        .module(.faces, "CryptoKit", ["Security", "LocalAuthentication", crypto]),
        .module(
            .faces, "ChatelaineCInterface",
            [
                "Security", "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem",
                "CChatelaineFoundation",
            ]),

        .module(
            .tools, "SecurityTool",
            [
                "ChatelaineModel", "ChatelaineMemory", "ChatelaineIPC", "ChatelaineCryptography", "ChatelaineSystem",
                "CChatelaine", "ChatelaineTrustSettings", "ChatelaineIdentityPreferences", "PasswordQuality", arguments,
            ]),
        // What both daemons' command lines say; the manual pages say the same.
        .module(.tools, "DaemonOptions"),
        // What programs do that are started with a channel, before the first byte of it.
        .module(
            .tools, "WorkerPrograms",
            [
                "DaemonOptions", "ServerIPC", "ChatelaineModel", "ChatelaineMemory", "Sandbox", "ChatelaineSystem",
                "SystemCalls", "CChatelaine",
            ]),
        // Manual pages and completions, written from what the programs themselves say. Nothing that is installed has
        // it.
        .module(.tools, "ManualPages", ["SecurityTool", "DaemonOptions", "ChatelaineModel", arguments]),

        .program("securityd", ["SecurityServer", "DaemonOptions"]),
        .program(
            "enclaved",
            [
                "Enclave", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "Sandbox", "SystemCalls",
                "CChatelaine", "DaemonOptions", "EnclaveProtocol",
            ]),
        .program(
            "keyd",
            [
                "KeyWorker", "ChatelaineModel", "ChatelaineMemory", "Sandbox", "SystemCalls",
                "DaemonOptions", "WorkerPrograms", "EnclaveProtocol",
            ]),
        .program(
            "security-agent",
            [
                "AgentDialogs", "AgentProtocol", "ChatelaineModel", "ChatelaineMemory", "Sandbox", "ChatelaineSystem",
                "SystemCalls",
                "CChatelaine", "DaemonOptions",
            ]),
        .program(
            "formatd",
            [
                "KeyFormats", "FormatProtocol", "ChatelaineIPC", "ChatelaineModel", "Sandbox", "DaemonOptions",
                "WorkerPrograms",
            ]),
        .program(
            "fetchd",
            [
                "CFetch", "FetchProtocol", "ChatelaineIPC", "ChatelaineModel", "Sandbox", "DaemonOptions",
                "WorkerPrograms",
            ]),
        .program("security", ["SecurityTool", "ChatelaineMemory"]),
        .program("generate-pages", ["ManualPages"]),

        // Measures the daemons beside the machine's bare floor.
        .target(
            name: "c_caller", dependencies: ["CChatelaineFoundation"], path: "Benchmarks/c-caller",
            cSettings: [.headerSearchPath("../../Headers")]),
        .executableTarget(
            name: "chatelaine-bench",
            dependencies: [
                "Security", "LocalAuthentication", "ChatelaineCInterface", "c_caller", "ChatelaineIPC",
                "ChatelaineModel", "ChatelaineMemory",
                "CChatelaine", "CChatelaineCrypto", crypto, sqlite, "Enclave", "EnclaveProtocol", "FileKeychains",
                "ItemStore", "TestSupport",
            ],
            path: "Benchmarks/chatelaine-bench", swiftSettings: strict),

        // What test targets and their fixtures share.
        .fixture("TestSupport", "TestSupport", ["CChatelaine"]),
        .fixture(
            "Fixtures/worker-support", "WorkerTestSupport",
            ["ServerIPC", "ChatelaineIPC", "CChatelaine", "TestSupport"]),
        // A probe copied to another path is another application.
        .fixtureProgram(
            "Fixtures/probe", "probe",
            [
                "Security", "LocalAuthentication", "CryptoKit", "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory",
            ]),
        // Stand in for logind and fprintd on a bus of a test's own.
        .target(
            name: "fake-service", path: "Tests/Fixtures/fake-service", linkerSettings: [.linkedLibrary("systemd")]),
        .executableTarget(name: "fake-logind", dependencies: ["fake-service"], path: "Tests/Fixtures/fake-logind"),
        .executableTarget(name: "fake-fprintd", dependencies: ["fake-service"], path: "Tests/Fixtures/fake-fprintd"),
        .fixtureProgram(
            "attacks/attacker", "attacker",
            ["ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "CChatelaine", "TestSupport"]),
        // The daemon with somebody who has people asked.
        .fixtureProgram(
            "Fixtures/asking-securityd", "asking-securityd", ["SecurityServer", "ItemStore", "ChatelaineModel"]),
        .target(name: "sandbox-attempts", path: "Tests/attacks/sandbox-attempts"),
        .fixtureProgram("Fixtures/sandbox-probe", "sandbox-probe", ["Sandbox", "CChatelaine", "sandbox-attempts"]),
        // A program with functions of libcrypto's names, which everything that it loads can see.
        .target(name: "foreign-crypto", path: "Tests/Fixtures/foreign-crypto"),
        .executableTarget(
            name: "foreign-crypto-probe",
            dependencies: ["ChatelaineCryptography", "ChatelaineModel", "foreign-crypto"],
            path: "Tests/Fixtures/foreign-crypto-probe", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),
        // Both daemons' work on files in one process, whose calls of the C library can be made to fail.
        .target(name: "seam", path: "Tests/Fixtures/seam"),
        .fixture(
            "Fixtures/in-process", "InProcess",
            [
                "SecurityServer", "ItemStore", "FileKeychains", "StoreEngine", "Enclave", "EnclaveProtocol", "Sealing",
                "KeyWorker", "CallerIdentity", "ChatelaineIPC", "ServerIPC", "SystemCalls", "ChatelaineSystem",
                "ChatelaineModel",
                "ChatelaineMemory", "CChatelaine", "TrustProtocol", grdb,
            ]),
        .fixtureProgram(
            "Fixtures/fault-injection", "fault-injection",
            [
                "InProcess", "SecurityServer", "ItemStore", "FileKeychains", "StoreEngine", "CallerIdentity", "Enclave",
                "EnclaveProtocol", "TrustProtocol", "ChatelaineCryptography", "ChatelaineModel", "ChatelaineMemory",
                "ChatelaineSystem", "TestSupport", "seam",
                sqlite,
            ]),
        // Homes as each version wrote them, for every later one to read.
        .fixture(
            "Fixtures/stored-homes", "StoredHomes", ["ItemStore", "StoreEngine", "ChatelaineModel", "ChatelaineMemory"]),
        .fixtureProgram(
            "Fixtures/make-homes", "make-homes",
            [
                "StoredHomes", "InProcess", "ItemStore", "StoreEngine", "CallerIdentity", "ChatelaineModel",
                "ChatelaineMemory", "EnclaveProtocol", "TrustProtocol", sqlite,
            ]),

        .tests(.platform, "ChatelaineMemoryTests", ["ChatelaineMemory"]),
        .tests(.platform, "ChatelaineSystemTests", ["ChatelaineSystem", "SystemCalls"]),
        .tests(.platform, "SystemCallsTests", ["SystemCalls"]),
        .tests(.platform, "SandboxTests", ["Sandbox", "ChatelaineSystem", "CChatelaine", "sandbox-probe"]),
        .tests(
            .model, "ChatelaineModelTests", ["ChatelaineModel", "ChatelaineMemory"], exclude: ["Fixtures"]),
        .tests(
            .wire, "ChatelaineIPCTests",
            [
                "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "CChatelaine", "ServerIPC",
                "SystemCalls",
            ]),
        .tests(
            .wire, "EnclaveProtocolTests", ["EnclaveProtocol", "Sealing", "ChatelaineModel", "ChatelaineMemory"]),
        .tests(.wire, "AgentProtocolTests", ["AgentProtocol", "ChatelaineModel"]),
        .tests(.wire, "TrustProtocolTests", ["TrustProtocol", "ChatelaineModel"]),
        .tests(.wire, "FormatProtocolTests", ["FormatProtocol", "ChatelaineModel", "ChatelaineMemory"]),
        .tests(.wire, "FetchProtocolTests", ["FetchProtocol", "ChatelaineModel"]),
        .tests(
            .keys, "KeyFormatsTests", ["KeyFormats", "ChatelaineModel", "ChatelaineMemory", "ChatelaineCryptography"],
            exclude: ["Fixtures"]),
        // Without the fixture: SwiftPM would link its functions of libcrypto's names into the one bundle of all tests.
        .tests(
            .keys, "ChatelaineCryptographyTests",
            ["ChatelaineCryptography", "CChatelaineCrypto", "ChatelaineModel", "ChatelaineMemory", crypto],
            exclude: ["Fixtures"]),
        .tests(.keys, "SealingTests", ["Sealing", "ChatelaineModel", "ChatelaineMemory", crypto]),
        .tests(
            .keys, "EnclaveTests",
            [
                "Enclave", "enclaved", "keyd", "KeyWorker", "ChatelaineCryptography", "ChatelaineIPC",
                "ChatelaineModel",
                "ChatelaineMemory", "ChatelaineSystem", "SystemCalls", "CChatelaine", "Sealing", "EnclaveProtocol",
                "ServerIPC",
            ]),
        .tests(
            .storage, "StoreEngineTests", ["StoreEngine", "ChatelaineModel", "ChatelaineMemory", "Sealing", sqlite]),
        .tests(
            .storage, "ItemStoreTests",
            [
                "ItemStore", "StoreEngine", "InProcess", "ChatelaineModel", "ChatelaineMemory", "Sealing", grdb, sqlite,
                "EnclaveProtocol", "Enclave",
            ]),
        .tests(
            .storage, "FileKeychainsTests",
            [
                "FileKeychains", "ItemStore", "StoreEngine", "InProcess", "ChatelaineModel", "ChatelaineMemory",
                "Sealing",
                "EnclaveProtocol", "Enclave", sqlite,
            ], exclude: ["Files", "Reader"]),
        .tests(
            .storage, "HomesTests",
            [
                "StoredHomes", "InProcess", "ItemStore", "StoreEngine", "CallerIdentity", "ChatelaineModel",
                "ChatelaineMemory", "EnclaveProtocol", "TrustProtocol", "security", "securityd", "enclaved",
                "security-agent",
            ]),
        // Without the fixture: SwiftPM would link its calls of the C library into the one bundle of all tests.
        .tests(.storage, "FaultInjectionTests", []),
        .tests(
            .authority, "CallerIdentityTests",
            [
                "CallerIdentity", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls",
                "CChatelaine", "TrustProtocol",
            ]),
        .tests(
            .server, "SecurityServerTests",
            [
                "SecurityServer", "InProcess", "ItemStore", "StoreEngine", "FileKeychains", "Enclave", "enclaved",
                "security-agent",
                "EnclaveProtocol", "ChatelaineIPC",
                "ServerIPC", "CallerIdentity", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls",
                "CChatelaine", "AgentProtocol", "TrustProtocol", "FormatProtocol", "FetchProtocol", "Sandbox", sqlite,
            ]),
        .tests(
            .server, "AgentDialogsTests",
            [
                "AgentDialogs", "security-agent", "AgentProtocol", "ChatelaineIPC", "ChatelaineModel",
                "ChatelaineMemory", "CChatelaine",
            ]),
        .tests(
            .faces, "LocalAuthenticationTests", ["LocalAuthentication", "ChatelaineModel", "ChatelaineIPC"]),
        .tests(
            .faces, "SecurityTests",
            ["Security", "LocalAuthentication", "ChatelaineModel", "ChatelaineCInterface", "CChatelaineFoundation"]),
        .tests(
            .tools, "SecurityToolTests",
            [
                "SecurityTool", "security", "securityd", "enclaved", "security-agent", "ChatelaineModel",
                "ChatelaineMemory", "PasswordQuality",
                "ChatelaineIPC", "ChatelaineTrustSettings", "ChatelaineIdentityPreferences", "ChatelaineSystem",
                "CChatelaine",
            ],
            exclude: ["Snapshots"]),
        .tests(.tools, "ManualPagesTests", ["ManualPages"]),
        .tests(
            .programs, "FormatdTests",
            [
                "formatd", "FormatProtocol", "WorkerTestSupport", "ChatelaineIPC", "ChatelaineModel",
                "ChatelaineMemory",
            ]),
        .tests(
            .programs, "FetchdTests",
            ["fetchd", "CFetch", "FetchProtocol", "ChatelaineIPC", "ChatelaineModel", "CChatelaine"]),
        .tests(
            .programs, "EndToEndTests",
            [
                "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "CChatelaine", "Enclave", "EnclaveProtocol",
                "Sealing", "ItemStore", "InProcess", "Security", crypto, "probe", "attacker", "fake-logind",
                "fake-fprintd", "securityd",
                "enclaved", "keyd", "security-agent", "formatd", "fetchd", "asking-securityd", "security", sqlite,
            ]),

        // What a fuzzer searches (Tools/build-fuzz.sh compiles it for that), here fed with what it has found.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "Security", "ItemStore", "StoreEngine", "Enclave", "ChatelaineIPC", "Sealing", "ChatelaineModel",
                "ChatelaineMemory", "AgentProtocol", "AgentDialogs", "TrustProtocol", "FormatProtocol", "FetchProtocol",
                "KeyFormats", "SignatureFormat", "ChatelaineSystem", "CChatelaine", sqlite, "EnclaveProtocol",
                "ServerIPC", "ChatelaineCryptography",
            ],
            path: "Fuzz",
            exclude: ["CFuzzer", "Corpus", "Findings", "Trust", "chatelaine-fuzz"],
            sources: ["MessageTests", "Seeds", "Shared", "Targets", "Tests"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// No target uses one of a floor above its own.
let floors = Dictionary(
    uniqueKeysWithValues: package.targets.compactMap { target -> (String, Floor)? in
        let folders = (target.path ?? "").split(separator: "/").map(String.init)
        guard folders.first == "Sources", folders.count > 1, let floor = Floor(rawValue: folders[1]) else { return nil }
        return (target.name, floor)
    })
for target in package.targets {
    guard let floor = floors[target.name] else { continue }
    for case .byNameItem(let name, _) in target.dependencies {
        guard let other = floors[name], other.level > floor.level else { continue }
        fatalError(
            "\(target.name) (\(floor.rawValue)) must not depend on \(name) (\(other.rawValue)), a floor above it")
    }
}
