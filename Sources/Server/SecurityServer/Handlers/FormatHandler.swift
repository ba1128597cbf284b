import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Carries out requests about files of keys and certificates, and about signed and enveloped messages.
///
/// Strangers made these files, or they are made for strangers. securityd passes them on to workers, and parses nothing
/// in them.
enum FormatHandler {
    static let routes: [RequestRoute] = [.init(read), .init(write), .init(readMessage), .init(writeMessage)]

    static func read(
        _ request: ReadExternalFile, _ context: inout RequestContext
    ) throws(KeychainError) -> ExternalContent {
        if case .content(let content)? = context.access.passphrase?.result { return content }
        let (workers, slot, file) = (try workers(of: context), context.slot, request.file)
        do throws(KeychainError) { return try workers.read(file, for: slot) } catch {
            guard error.status == .passphraseRequired, request.question != nil else { throw error }
        }
        throw try context.asking(request.question, isNew: false) { (passphrase) throws(KeychainError) in
            var file = file
            file.passphrase = passphrase
            return .content(try workers.read(file, for: slot))
        }
    }

    static func write(
        _ request: WriteExternalFile, _ context: inout RequestContext
    ) throws(KeychainError) -> WrittenFile {
        if case .file(let bytes)? = context.access.passphrase?.result { return WrittenFile(bytes) }
        let (workers, slot, order) = (try workers(of: context), context.slot, request.order)
        guard request.question != nil, order.format.isEncrypted, order.passphrase == nil else {
            return WrittenFile(try workers.write(order, for: slot))
        }
        throw try context.asking(request.question, isNew: true) { (passphrase) throws(KeychainError) in
            var order = order
            order.passphrase = passphrase
            return .file(try workers.write(order, for: slot))
        }
    }

    static func readMessage(
        _ request: ReadCMSMessage, _ context: inout RequestContext
    ) throws(KeychainError) -> CMSContent { try workers(of: context).read(request.message, for: context.slot) }

    static func writeMessage(
        _ request: WriteCMSMessage, _ context: inout RequestContext
    ) throws(KeychainError) -> WrittenFile {
        WrittenFile(try workers(of: context).write(request.order, for: context.slot))
    }

    private static func workers(of context: RequestContext) throws(KeychainError) -> FormatWorkers {
        guard let workers = context.services.formats else {
            throw KeychainError(.notAvailable, "this securityd has nobody who reads files of keys")
        }
        return workers
    }
}

extension RequestContext {
    /// Has a person asked for the passphrase of a file; returns the error with which the attempt has to end.
    ///
    /// - Parameter use: does with the passphrase what the request is about.
    fileprivate mutating func asking(
        _ words: OperationPrompt?, isNew: Bool,
        _ use: @escaping @Sendable (SecretBytes) throws(KeychainError) -> PassphraseProof.Result
    ) throws(KeychainError) -> KeychainError {
        // The dialog names the caller. The keychain is opened only to identify it.
        _ = try keychainSlot.keychainForReading()
        let caller = try identified()
        let proof = PassphraseProof(use)
        access.passphrase = proof
        var question = PersonQuestion(
            caller: caller.identity, keychain: keychainSlot.name, subject: FilePassphrase(isNew: isNew),
            proof: .password(isNew: isNew, taking: proof))
        question.reason = words.flatMap { $0.text.isEmpty ? nil : $0.text }
        return access.asking(question)
    }
}
