import AgentProtocol
import ChatelaineIPC
import ChatelaineModel

/// The use of a file keychain that is locked.
struct LockedKeychain: PersonSubject {
    let path: KeychainPath

    var purpose: DialogPurpose { .unlock }
    var unanswered: KeychainError { .needsPerson("the keychain \(path.text) is locked; unlock it first") }
    var keychainToOpen: KeychainPath? { path }

    func isAbout(_ topic: PersonQuestion.Topic) -> Bool {
        switch topic {
        case .openKeychain(let path), .keychain(let path): path == self.path
        case .keychains: true
        case .program: false
        }
    }
}

/// A new file keychain, with a password that the person chooses.
struct NewKeychain: PersonSubject {
    let path: KeychainPath

    var purpose: DialogPurpose { .createKeychain }
    var unanswered: KeychainError {
        .needsPerson("nobody can be asked for the password of \(path.text); give it with the call")
    }
    var keychainToOpen: KeychainPath? { path }
}

/// A new login keychain, to which the new item is added.
struct NewLoginKeychain: PersonSubject {
    let path: KeychainPath

    var purpose: DialogPurpose { .createKeychain }
    var unanswered: KeychainError {
        .needsPerson(
            "there is no default keychain; the next login makes \(path.text), or set one", .noDefaultKeychain)
    }
    var keychainToOpen: KeychainPath? { path }
}
