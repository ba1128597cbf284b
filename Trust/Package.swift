// swift-tools-version: 6.2
import PackageDescription

// Signatures of programs: what verifies them, in a process of its own, and what makes them.
//
// A package beside the one above, over the same sources. swift-certificates looks whether there is a module named
// Security, and takes it for Apple's. So it cannot be built where ours is built, and a client of ours does not need it
// either.

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
// RSA alone: swift-certificates verifies no RSA-PSS.
let cryptoExtras = Target.Dependency.product(name: "_CryptoExtras", package: "swift-crypto")
let jose = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let certificates = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")

extension Target {
    /// A module in the folder of its floor; `Sources` is that of the package above.
    static func module(_ place: String, _ dependencies: [Dependency] = []) -> Target {
        .target(name: name(of: place), dependencies: dependencies, path: "Sources/\(place)", swiftSettings: strict)
    }

    static func program(_ name: String, _ dependencies: [Dependency]) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: "Sources/Programs/\(name)", swiftSettings: strict)
    }

    static func tests(_ place: String, _ dependencies: [Dependency]) -> Target {
        .testTarget(
            name: name(of: place), dependencies: dependencies + ["TestSupport"], path: "Tests/\(place)",
            swiftSettings: strict)
    }

    private static func name(of place: String) -> String { String(place.split(separator: "/").last ?? "") }
}

let package = Package(
    name: "chatelaine-trust",
    products: [
        .executable(name: "trustd", targets: ["trustd"]),
        .executable(name: "security-sign", targets: ["security-sign"]),
        .executable(name: "trust-floor", targets: ["trust-floor"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .target(name: "CChatelaine", path: "Sources/Platform/CChatelaine"),
        .module("Platform/ChatelaineSystem", ["CChatelaine"]),
        .module("Platform/ChatelaineMemory", ["CChatelaine", "ChatelaineSystem"]),
        .module("Platform/SystemCalls", ["ChatelaineSystem", "CChatelaine"]),
        .module("Platform/Sandbox", ["CChatelaine", "ChatelaineSystem"]),
        .module("Model/ChatelaineModel", ["ChatelaineMemory", "ChatelaineSystem"]),
        .module(
            "Protocol/ChatelaineIPC", ["ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "CChatelaine"]),
        .module(
            "Protocol/ServerIPC",
            ["ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "SystemCalls", "CChatelaine"]),
        .module("Protocol/TrustProtocol", ["ChatelaineModel"]),
        .module("Authority/SignatureFormat", ["ChatelaineModel"]),
        .module(
            "Authority/CodeSignatures",
            [
                "SignatureFormat", "TrustProtocol", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", crypto,
                jose, certificates, asn1,
            ]),
        .module(
            "Authority/TrustEvaluation",
            [
                "CodeSignatures", "SignatureFormat", "TrustProtocol", "ChatelaineModel", "ChatelaineSystem", crypto,
                cryptoExtras, certificates, asn1,
            ]),
        // Certificates of strangers: what is in them, and nothing of whether that is true.
        .module("Authority/CertificateReading", ["ChatelaineModel", crypto, asn1]),
        .module("Tools/DaemonOptions"),
        .module(
            "Tools/WorkerPrograms",
            [
                "DaemonOptions", "ServerIPC", "ChatelaineModel", "ChatelaineMemory", "Sandbox", "ChatelaineSystem",
                "SystemCalls", "CChatelaine",
            ]),
        .program(
            "trustd",
            [
                "CodeSignatures", "CertificateReading", "TrustEvaluation", "TrustProtocol", "ChatelaineIPC",
                "ChatelaineModel", "ChatelaineSystem", "Sandbox", "DaemonOptions", "WorkerPrograms",
            ]),
        .program(
            "security-sign",
            [
                "CodeSignatures", "ChatelaineModel", "ChatelaineMemory", "ChatelaineSystem", "Sandbox", "CChatelaine",
                crypto,
            ]),

        // What `make bench` measures evaluations of trust beside.
        .executableTarget(
            name: "trust-floor", dependencies: [certificates, asn1], path: "Benchmarks/trust-floor",
            swiftSettings: strict),

        .target(
            name: "TestSupport", dependencies: ["CChatelaine"], path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "WorkerTestSupport", dependencies: ["ServerIPC", "ChatelaineIPC", "CChatelaine", "TestSupport"],
            path: "Tests/Fixtures/worker-support", swiftSettings: strict),
        .tests(
            "Authority/CodeSignaturesTests",
            [
                "CodeSignatures", "SignatureFormat", "TrustProtocol", "ChatelaineModel", "ChatelaineMemory", crypto,
                certificates, asn1, jose,
            ]),
        .tests(
            "Authority/TrustEvaluationTests",
            [
                "TrustEvaluation", "TrustProtocol", "ChatelaineModel", "ChatelaineMemory", crypto, certificates, asn1,
            ]),
        .tests(
            "Authority/CertificateReadingTests", ["CertificateReading", "ChatelaineModel", certificates, asn1, crypto]),
        .tests(
            "Programs/TrustdTests",
            [
                "trustd", "security-sign", "CodeSignatures", "TrustEvaluation", "TrustProtocol", "WorkerTestSupport",
                "ChatelaineIPC", "ChatelaineModel", "ChatelaineMemory", crypto, certificates,
            ]),
        // What a fuzzer searches, here fed with what it has found, as FuzzTests of the package above is.
        .testTarget(
            name: "TrustFuzzTests",
            dependencies: [
                "CertificateReading", "TrustEvaluation", "TrustProtocol", "ChatelaineModel", crypto, asn1,
            ],
            path: "Fuzz",
            exclude: ["CFuzzer", "Corpus", "Findings", "MessageTests", "Seeds", "Targets", "chatelaine-fuzz"],
            sources: ["Shared", "Trust", "Tests"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
