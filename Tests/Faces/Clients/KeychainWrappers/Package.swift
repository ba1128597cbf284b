// swift-tools-version:5.5
import PackageDescription

let package = Package(
    name: "KeychainWrappers",
    platforms: [.iOS(.v13), .macOS(.v10_15), .tvOS(.v13), .watchOS(.v6)],
    products: [.library(name: "KeychainWrappers", targets: ["KeychainWrappers"])],
    targets: [
        .target(name: "KeychainWrappers"),
        .testTarget(name: "KeychainWrappersTests", dependencies: ["KeychainWrappers"]),
    ]
)
