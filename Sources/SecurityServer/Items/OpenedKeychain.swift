import CallerIdentity
import ItemStore

/// Everything that depends on the store being open: its items, and the records that its keys authenticate.
///
/// A reference, because every request passes it on.
final class OpenedKeychain: Sendable {
    let store: ItemStore
    let judge: ExecutableJudge
    let ledger: ApplicationLedger
    let requests: RequestDigests
    /// The database's file, as it was when it was opened.
    let file: FileIdentity

    init(
        store: ItemStore, judge: ExecutableJudge, ledger: ApplicationLedger, file: FileIdentity
    ) {
        self.store = store
        self.judge = judge
        self.ledger = ledger
        requests = RequestDigests(store.keys)
        self.file = file
    }
}
