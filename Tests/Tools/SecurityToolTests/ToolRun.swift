import CChatelaine
import Glibc

@testable import SecurityTool

/// One command line run in this process, with its own descriptors and a fake Keychain.
///
/// - Parameters:
///   - terminal: the name of the terminal for questions; without one, no person is there.
///   - hasOutput: whether standard output is open.
///   - hasErrors: whether standard error is open.
struct ToolRun {
    let exitStatus: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }

    init(
        _ arguments: [String], keychain: any KeychainService = FakeKeychain(), input: [UInt8] = [],
        isTerminal: Bool = false, terminal: String? = nil, hasOutput: Bool = true, hasErrors: Bool = true
    ) {
        let files = (0..<3).map { _ in chatelaine_memfd("tool-run") }
        defer { for file in files { close(file) } }
        _ = input.withUnsafeBytes { write(files[0], $0.baseAddress, $0.count) }
        lseek(files[0], 0, SEEK_SET)
        exitStatus = SecurityTool.run(
            arguments,
            in: ToolContext(
                keychain: keychain, output: Output(descriptor: hasOutput ? files[1] : -1, isTerminal: isTerminal),
                errors: Output(descriptor: hasErrors ? files[2] : -1, isTerminal: false), standardInput: files[0],
                openTerminal: { terminal.map { open($0, O_RDWR | O_CLOEXEC | O_NOCTTY) } ?? -1 }))
        output = Self.content(files[1])
        errors = String(decoding: Self.content(files[2]), as: UTF8.self)
    }

    private static func content(_ file: Int32) -> [UInt8] {
        let size = Int(lseek(file, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: max(0, size))
        let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        return count == size ? bytes : []
    }
}
