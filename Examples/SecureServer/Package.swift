// swift-tools-version: 6.0
import PackageDescription

// An HTTPS server and a client whose keys stay in the keychain. Nothing here names Chatelaine: the package is built
// against an installed one with compiler flags, as in the README.

let core = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let http = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let posix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let tls = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

let package = Package(
    name: "SecureServer",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .target(name: "KeychainTLS", dependencies: [core, posix, tls]),
        .executableTarget(name: "secure-server", dependencies: ["KeychainTLS", core, http, posix, tls]),
        .executableTarget(name: "secure-client", dependencies: ["KeychainTLS", core, http, posix, tls]),
    ]
)
