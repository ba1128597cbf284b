import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Takes files of keychains elsewhere, opened by the programs that use them.
enum LendingHandler {
    static let routes: [RequestRoute] = [.init(descriptors: lend)]

    static func lend(
        _ request: LendKeychain, _ lent: LentDescriptors, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let keychains = context.services.fileKeychains
        let path = try keychains.path(request.path)
        guard lent.files.count == 2 else {
            throw KeychainError(.internalComponent, "a file was announced and is not here")
        }
        let numbers = lent.files.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        let file = Descriptor(numbers[0])
        let folder = Descriptor(numbers[1])
        guard file.number >= 0, folder.number >= 0 else { throw KeychainError(system: EMFILE, path.text) }
        try keychains.lend(file, folder, at: path)
        context.services.log.debug(
            "the file of a keychain was lent", ["keychain": path.text, "pid": "\(context.slot.pid)"])
        return NoReply()
    }
}

/// The file of a keychain, and its folder.
struct LentDescriptors: AnnouncedPasscodes {
    var files: [Int32] = []

    static func asked(by context: inout RequestContext) throws(KeychainError) -> LentDescriptors { LentDescriptors() }

    static var look: SocketCalls.Look? { { LocalFile.isReadable($0) ? 1 : 0 } }

    static let unreadable = KeychainError(
        .invalidKeychain,
        "what came is no file on a file system of this machine: keep keychains on none that a program serves (FUSE)")
}
