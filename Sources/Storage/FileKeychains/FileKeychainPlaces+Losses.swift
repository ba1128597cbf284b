import ChatelaineModel
import StoreEngine

/// What is missing from keychains, or may be, and nobody has acknowledged. It is told of locked ones as well.
extension FileKeychainPlaces {
    /// Those of which something is, with the paths at which they were unlocked last.
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
