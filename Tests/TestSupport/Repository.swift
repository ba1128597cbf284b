import Foundation

/// The folder of the project, whose tables and documents tests read.
package enum Repository {
    /// Found by its manifest, so that a test can be moved from folder to folder.
    package static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/",
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        { folder.deleteLastPathComponent() }
        return folder
    }()
}
