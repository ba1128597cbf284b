// swift-tools-version: 5.9
import PackageDescription

// Tests/cryptokit-test.sh puts the folder of the installed package here. On Apple's platforms, the system provides
// CryptoKit.
let package = Package(
    name: "EnclaveKeys",
    dependencies: [.package(path: "../CryptoKit")],
    targets: [
        .executableTarget(name: "EnclaveKeys", dependencies: [.product(name: "CryptoKit", package: "CryptoKit")])
    ]
)
