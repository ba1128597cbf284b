import ChatelaineModel
import Glibc

/// The replacement of a store by one that was made beside it.
///
/// It takes three renames, each synced. The new store gets its name once it is whole, the present one goes to the
/// quarantine, and the new one takes its place. The order lets a later opening recognise every intermediate state and
/// go on.
struct StoreActivation: Sendable {
    /// The purpose of a draft; each purpose has a folder of its own until the draft is whole.
    enum Purpose: String, Sendable, CaseIterable {
        case recovery = ".part"
        case restoration = ".restored.part"
    }

    /// The most stores in the quarantine, which the daemon deletes only with their keys.
    ///
    /// A machine whose memory is failing, or a program that restores again and again, must not fill the disk with them.
    static let maximumSetAside = 32

    /// The ending of the name of a draft that came too late.
    private static let draftSuffix = "-draft"

    let places: StorePlaces
    let clock: StoreClock
    let purpose: Purpose

    /// Whether the daemon gave a name in the quarantine; anything else there belongs to somebody else.
    static func isSetAside(_ name: String) -> Bool {
        SnapshotFolder.isName(name.hasSuffix(draftSuffix) ? String(name.dropLast(draftSuffix.count)) : name)
    }

    /// Completes what a crash left, before a store is opened.
    ///
    /// A whole draft without a store becomes the store. A draft beside a store came too late, and is set aside.
    func settle() throws(KeychainError) {
        guard try StoreFolder.exists(places.draft) else { return }
        if try StoreFolder.exists(places.store) {
            _ = try setAside(places.draft, as: nil, suffix: Self.draftSuffix)
        } else {
            try StoreFolder.move(places.draft, to: places.store)
        }
    }

    /// The folder in which a store is made that is to be activated.
    var folder: String { places.draft + purpose.rawValue }

    /// Makes an empty folder for a store that is to be activated.
    func begin() throws(KeychainError) -> String {
        // The folder belongs to a daemon that ended while it made a store; its contents are a copy.
        if try StoreFolder.exists(folder) { try StoreFolder.remove(folder) }
        try StoreFolder.makeDurable(StoreFolder.parent(of: folder))
        guard StoreFolder.repeated({ mkdir(folder, 0o700) }) == 0 else {
            throw KeychainError(file: folder, "making the folder")
        }
        return folder
    }

    func abandon() { try? StoreFolder.remove(folder) }

    /// The name under which the present store would be set aside now; nil without a store.
    func quarantineName() throws(KeychainError) -> String? {
        guard try StoreFolder.exists(places.store) else { return nil }
        try StoreFolder.makeDurable(places.quarantine)
        return try freshQuarantineName()
    }

    /// A free name in the quarantine, which must exist.
    func freshQuarantineName() throws(KeychainError) -> String {
        guard try StoreFolder.names(in: places.quarantine).count < Self.maximumSetAside else {
            throw KeychainError(
                .notAvailable,
                "\(places.quarantine) holds \(Self.maximumSetAside) stores that were set aside: check the disk and the memory of "
                    + "this machine, and move away what is not needed there")
        }
        return try StorePlaces.freshName(in: places.quarantine, clock: clock)
    }

    /// Puts the filled and synced folder of ``begin()`` in the place of the store, which goes to the quarantine as
    /// `name`.
    func activate(settingAsideAs name: String?) throws(KeychainError) {
        try StoreFolder.sync(folder)
        try StoreFolder.move(folder, to: places.draft)
        if let name { _ = try setAside(places.store, as: name) }
        try StoreFolder.move(places.draft, to: places.store)
    }

    /// Moves a folder to the quarantine; answers its name there.
    private func setAside(_ folder: String, as name: String?, suffix: String = "") throws(KeychainError) -> String {
        try StoreFolder.makeDurable(places.quarantine)
        let fresh = if let name { name } else { try StorePlaces.freshName(in: places.quarantine, clock: clock) }
        let name = fresh + suffix
        try StoreFolder.move(folder, to: "\(places.quarantine)/\(name)")
        return name
    }
}
