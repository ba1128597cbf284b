import ChatelaineIPC
import ChatelaineModel

/// Files of keys and certificates, and signed and enveloped messages, which strangers made or which are made for them. securityd passes them on, and looks at nothing in them.
enum FormatHandler {
    static func read(
        _ request: ReadExternalFile, _ context: inout RequestContext
    ) throws(KeychainError) -> ExternalContent { try workers(of: context).read(request.file, for: context.slot) }

    static func write(
        _ request: WriteExternalFile, _ context: inout RequestContext
    ) throws(KeychainError) -> WrittenFile {
        WrittenFile(try workers(of: context).write(request.order, for: context.slot))
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
