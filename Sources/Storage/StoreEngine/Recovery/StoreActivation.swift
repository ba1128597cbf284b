import ChatelaineModel
import Glibc

/// Puts a store that was made beside another into its place.
///
/// Three renames, each synced, in an order of which every beginning can be told apart and gone on with: the new store gets
/// its name once it is whole, the present one goes to the quarantine, the new one takes its place.
struct StoreActivation: Sendable {
    /// What a draft is for; each has a folder of its own until it is whole.
    enum Purpose: String, Sendable, CaseIterable {
        case recovery = ".part"
        case restoration = ".restored.part"
    }

    /// Stores that are set aside at most. Nothing there is deleted by us but with its keys, and a machine whose memory is failing, or a
    /// program that restores again and again, must not fill the disk with them.
    static let maximumSetAside = 32

    /// The end of the name of a draft that came too late.
    private static let draftSuffix = "-draft"

    let places: StorePlaces
    let clock: StoreClock
    let purpose: Purpose

    /// Whether a name in the quarantine is one that we gave: what else is there is somebody's own.
    static func isSetAside(_ name: String) -> Bool {
        SnapshotFolder.isName(name.hasSuffix(draftSuffix) ? String(name.dropLast(draftSuffix.count)) : name)
    }

    /// Goes on with what a crash left: called before a store is opened.
    ///
    /// A whole draft where no store is takes its place. Beside a store it came too late, and is set aside.
    func settle() throws(KeychainError) {
        guard try StoreFolder.exists(places.draft) else { return }
        if try StoreFolder.exists(places.store) {
            _ = try setAside(places.draft, as: nil, suffix: Self.draftSuffix)
        } else {
            try StoreFolder.move(places.draft, to: places.store)
        }
    }

    /// Where a store is made that is to be activated.
    var folder: String { places.draft + purpose.rawValue }

    /// An empty folder for a store that is to be activated.
    func begin() throws(KeychainError) -> String {
        // Ours, from a daemon that ended while it made one; what is in it is a copy.
        if try StoreFolder.exists(folder) { try StoreFolder.remove(folder) }
        try StoreFolder.makeDurable(StoreFolder.parent(of: folder))
        guard StoreFolder.repeated({ mkdir(folder, 0o700) }) == 0 else {
            throw KeychainError(file: folder, "making the folder")
        }
        return folder
    }

    func abandon() { try? StoreFolder.remove(folder) }

    /// The name under which the present store would be set aside now; nil where there is none.
    func quarantineName() throws(KeychainError) -> String? {
        guard try StoreFolder.exists(places.store) else { return nil }
        try StoreFolder.makeDurable(places.quarantine)
        return try freshQuarantineName()
    }

    /// A name that is not taken there yet, in a folder that is there.
    func freshQuarantineName() throws(KeychainError) -> String {
        guard try StoreFolder.names(in: places.quarantine).count < Self.maximumSetAside else {
            throw KeychainError(
                .notAvailable,
                "\(places.quarantine) holds \(Self.maximumSetAside) stores that were set aside: check the disk and the memory of "
                    + "this machine, and move away what is not needed there")
        }
        return try StorePlaces.freshName(in: places.quarantine, clock: clock)
    }

    /// Gives the folder of ``begin()``, now filled and synced, the place of the store, which goes to the quarantine as `name`.
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
