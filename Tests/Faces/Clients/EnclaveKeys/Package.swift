// swift-tools-version: 5.9
import PackageDescription

// Tests/cryptokit-test.sh puts the folder of the installed package here; on Apple's platforms CryptoKit is there by itself.
let package = Package(
    name: "EnclaveKeys",
    dependencies: [.package(path: "../CryptoKit")],
    targets: [
        .executableTarget(name: "EnclaveKeys", dependencies: [.product(name: "CryptoKit", package: "CryptoKit")])
    ]
)
