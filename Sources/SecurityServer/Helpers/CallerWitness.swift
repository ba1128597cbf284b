import CallerIdentity
import ChatelaineModel
import Glibc
import Sandbox

/// The helper that looks at callers: Linux does not let a process under Landlock look at one that is not.
///
/// It opens an entry of a folder in /proc that securityd holds open, and passes the descriptor. Nothing of what a caller
/// sends reaches it.
struct CallerWitness: Witness {
    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper; call it while there is one thread.
    init() throws(KeychainError) {
        helper = try Helper("securityd-look", .witness, .witness()) { sight, folder in
            guard let sight = UInt8(exactly: sight).flatMap({ Sight(rawValue: $0) }) else { return (-EINVAL, nil) }
            let file = sight.open(in: folder)
            return file >= 0 ? (0, file) : (file, nil)
        }
    }

    func watch(_ body: @escaping @Sendable () -> Void) { helper.watch(body) }

    func look(at sight: Sight, in folder: Int32) -> Int32 {
        guard let answer = helper.ask(Int32(sight.rawValue), descriptor: folder) else { return -EIO }
        guard answer.number == 0, answer.descriptor >= 0 else {
            if answer.descriptor >= 0 { close(answer.descriptor) }
            return answer.number < 0 ? answer.number : -EIO
        }
        return answer.descriptor
    }
}
