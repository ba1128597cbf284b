import CallerIdentity
import ItemStore
import Sealing

/// Everything that depends on the store being open: its items, and the records that its keys authenticate.
///
/// A reference, because every request passes it on.
final class OpenedKeychain: Sendable {
    let store: ItemStore
    let judge: ExecutableJudge
    let ledger: ApplicationLedger
    let digests: DigestCache
    /// Digests of requests and callers, under a key of the device: a plain hash of a request would give its secret to
    /// whoever guesses it.
    let recordDigest: KeyedDigest
    /// The database's file, as it was when it was opened.
    let file: FileIdentity

    init(
        store: ItemStore, judge: ExecutableJudge, ledger: ApplicationLedger, digests: DigestCache,
        recordDigest: KeyedDigest, file: FileIdentity
    ) {
        self.store = store
        self.judge = judge
        self.ledger = ledger
        self.digests = digests
        self.recordDigest = recordDigest
        self.file = file
    }
}
