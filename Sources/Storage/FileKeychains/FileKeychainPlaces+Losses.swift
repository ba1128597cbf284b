import ChatelaineModel
import StoreEngine

/// The losses of keychains that nobody has acknowledged, locked keychains included.
extension FileKeychainPlaces {
    /// The keychains with such losses, with the paths at which they were unlocked last.
    package func keychainsWithLosses() throws(KeychainError) -> [(keychain: StoreIdentifier, path: String)] {
        let ending = StorePlaces.unacknowledgedEnding
        var found: [(keychain: StoreIdentifier, path: String)] = []
        for name in try StoreFolder.exists(stores) ? StoreFolder.names(in: stores) : [] where name.hasSuffix(ending) {
            guard let bytes = Hexadecimal.bytes(of: name.dropLast(ending.count).utf8),
                let keychain = StoreIdentifier(bytes),
                try StorePlaces(store: store(of: keychain), mark: mark(of: keychain)).hasLosses(),
                let path = try RememberedHeader.read(of: keychain, self)?.path
            else { continue }
            found.append((keychain, path))
        }
        return found
    }
}
