import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import CodeSignatures
import Crypto
import Glibc

/// Signs one program: reads the program and the identity, and writes the signature.
struct ProgramSigning {
    let program: String
    let output: String
    let identifier: String
    let days: Int
    let entitlements: String?
    let profile: String?
    let identity: [String]

    func run() throws(KeychainError) {
        var files: [SecretBytes] = []
        for path in identity { files.append(try InputFile(path).secret(limit: SigningIdentity.maximumBytes)) }
        let signer = CodeSigner(try SigningIdentity(files: files))
        var request = CodeSigner.Request(
            digest: try InputFile(program).digest(), identifier: identifier, now: Int64(Glibc.time(nil)))
        request.days = days
        if let entitlements {
            // One byte more than the limit, so that a longer file is noticed.
            request.entitlements = try InputFile(entitlements).bytes(limit: SignatureLimits.maximumFileBytes + 1)
        }
        if let profile {
            var bytes = try InputFile(profile).bytes(limit: SignatureLimits.maximumFileBytes + 1)
            // An editor may have added a line feed at the end.
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            request.profile = bytes
        }
        try OutputFile(output).replace(with: try signer.sign(request))
    }
}

/// An input file, open for reading.
struct InputFile: ~Copyable {
    private let path: String
    private let file: Descriptor
    private let calls: FileCalls

    init(_ path: String, calls: FileCalls = .system) throws(KeychainError) {
        self.path = path
        self.calls = calls
        do throws(Errno) { file = try calls.open(path, in: AT_FDCWD, .readThrough) } catch {
            throw KeychainError(system: error.code, "opening \(path)")
        }
    }

    /// The first `limit` bytes of the file.
    func bytes(limit: Int) throws(KeychainError) -> [UInt8] {
        do throws(Errno) { return try calls.contents(of: file.number, limit: limit) } catch {
            throw KeychainError(system: error.code, "reading \(path)")
        }
    }

    func secret(limit: Int) throws(KeychainError) -> SecretBytes {
        // If the file is cut short meanwhile, the rest stays zero, which is no valid PEM.
        var failure: Errno?
        let size: Int
        do throws(Errno) { size = Int(clamping: try calls.status(of: file.number).size) } catch {
            throw KeychainError(system: error.code, "reading \(path)")
        }
        guard size <= limit else { throw KeychainError(.dataTooLarge, "\(path) has more than \(limit) bytes") }
        let bytes = SecretBytes(count: size) { buffer in
            do throws(Errno) { try fill(buffer) } catch { failure = error }
        }
        if let failure { throw KeychainError(system: failure.code, "reading \(path)") }
        return bytes
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(Errno) {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let read = try calls.read(file.number, into: rest, at: Int64(count))
            guard read > 0 else { return }
            count += read
        }
    }

    /// SHA-256 of the whole file, read piece by piece.
    func digest() throws(KeychainError) -> ExecutableDigest {
        var hash = SHA256()
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var offset: Int64 = 0
        do throws(Errno) {
            while true {
                let count = try piece.withUnsafeMutableBufferPointer { (buffer) throws(Errno) in
                    try calls.read(file.number, into: UnsafeMutableRawBufferPointer(buffer), at: offset)
                }
                guard count > 0 else { break }
                hash.update(data: piece[..<count])
                offset += Int64(count)
            }
        } catch {
            throw KeychainError(system: error.code, "reading \(path)")
        }
        guard let digest = ExecutableDigest(Array(hash.finalize())) else {
            throw KeychainError(.internalComponent, "a digest has another length")
        }
        return digest
    }
}
