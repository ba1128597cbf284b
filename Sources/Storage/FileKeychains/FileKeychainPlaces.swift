import ChatelaineModel
import StoreEngine

/// Where our own part of file keychains lies: nothing but the file itself stands where its owner has put it.
package struct FileKeychainPlaces: Sendable {
    /// A folder for each keychain that is open, and beside it snapshots and what was set aside; on the file system of the keychains.
    package let stores: String
    /// A mark for each keychain that was ever open on this machine; elsewhere, so that it does not go back with what is put back.
    package let marks: String

    package init(stores: String, marks: String) {
        self.stores = stores
        self.marks = marks
    }

    func store(of keychain: StoreIdentifier) -> String { "\(stores)/\(Hexadecimal.text(of: keychain.bytes))" }
    func mark(of keychain: StoreIdentifier) -> String { "\(marks)/\(Hexadecimal.text(of: keychain.bytes)).mark" }
}
