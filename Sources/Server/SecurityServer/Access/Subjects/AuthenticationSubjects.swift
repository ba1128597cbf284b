import AgentProtocol
import ChatelaineIPC

/// A confirmation that the user is present (``AuthenticationPolicy``).
struct Presence: PersonSubject {
    var purpose: DialogPurpose { .authenticate }
}

/// The use of items that have the same access control.
extension AccessControlUse: PersonSubject {
    var purpose: DialogPurpose { makesItems ? .addItems : .useItems }
}
