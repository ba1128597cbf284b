import AgentProtocol
import ChatelaineModel

/// A file of keys that is read with its passphrase, or written with a passphrase that the person chooses.
struct FilePassphrase: PersonSubject {
    let isNew: Bool

    var purpose: DialogPurpose { isNew ? .writeFile : .readFile }
    var unanswered: KeychainError {
        .needsPerson(
            "nobody can be asked for the passphrase of the file; give it with the call, as `-P` of security does")
    }
    var refusal: DialogDenials.Thing? { .file }
}
