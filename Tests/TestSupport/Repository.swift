import Foundation

/// The folder of the project, from which tests read tables and documents.
package enum Repository {
    /// The folder with the manifest, wherever in the project this file is.
    package static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/",
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        { folder.deleteLastPathComponent() }
        return folder
    }()
}
