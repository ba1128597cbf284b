// swift-tools-version: 6.1
import PackageDescription

// What `import CryptoKit` means for programs of Chatelaine: swift-crypto, and keys of the enclave. It is built with a
// program, against an installed library with the same flags; README.md says how.
let package = Package(
    name: "CryptoKit",
    products: [.library(name: "CryptoKit", targets: ["CryptoKit"])],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", "4.0.0"..<"5.0.0")],
    targets: [.target(name: "CryptoKit", dependencies: [.product(name: "Crypto", package: "swift-crypto")])],
    swiftLanguageModes: [.v6]
)
