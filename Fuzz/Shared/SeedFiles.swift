import ChatelaineModel
import Glibc

/// A seed: an input from which the fuzzer starts.
typealias Seed = (name: String, content: [UInt8])

enum SeedFiles {
    /// Writes the seeds of a target to the folder of its name.
    static func write(_ seeds: [Seed], _ target: FuzzTarget, _ folder: String) throws {
        mkdir(folder, 0o755)
        mkdir("\(folder)/\(target.rawValue)", 0o755)
        for (name, content) in seeds {
            guard let file = fopen("\(folder)/\(target.rawValue)/\(name)", "we") else {
                throw KeychainError(.notAvailable, "\(folder) cannot be written to")
            }
            fwrite(content, 1, content.count, file)
            fclose(file)
        }
    }
}
