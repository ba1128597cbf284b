// swift-tools-version: 5.9
import PackageDescription

// Nothing here names Chatelaine: the package is built against an installed one with compiler flags, as in the README.
let package = Package(
    name: "SignedToken",
    targets: [.executableTarget(name: "SignedToken")]
)
