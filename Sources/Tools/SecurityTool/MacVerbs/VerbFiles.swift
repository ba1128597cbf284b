import ChatelaineModel
import Foundation
import Glibc

/// A file that a verb reads whole.
enum InputFile {
    static func bytes(_ path: String, limit: Int) throws(ToolError) -> [UInt8] {
        do {
            guard !path.isEmpty, let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
                size <= limit
            else { throw ToolError.failure("\(path) has more than \(limit) bytes") }
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch let error as ToolError { throw error } catch {
            throw .failure("\(path) cannot be read")
        }
    }
}

/// A file that a verb writes.
enum OutputFile {
    /// - Parameter mode: of a file that is made; one that is there keeps its own.
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(ToolError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard file >= 0 else { throw .failure("\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let output = Output(descriptor: file, isTerminal: false)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(OutputError) in try output.write(bytes) }
        }
        guard case .success = written else {
            throw .failure("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
