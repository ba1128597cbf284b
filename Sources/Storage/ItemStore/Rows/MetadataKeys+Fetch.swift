import ChatelaineModel

extension MetadataKeys {
    /// Fetches those keys that are not at hand; answers which of them the keybag does not know.
    ///
    /// Keys of locked classes stay away, and so do destroyed ones, whose rows are deleted elsewhere (``ItemStore/purgeDestroyed()``). Throws where the key custodian cannot be asked.
    func fetch(_ wanted: Set<UInt32>) throws(KeychainError) -> Set<UInt32> {
        let present = all
        var unknown: Set<UInt32> = []
        for id in wanted where present[id] == nil {
            do throws(KeychainError) {
                try load(id)
            } catch {
                switch error.cause {
                case .unsealable: unknown.insert(id)
                case .locked, .notFound: break
                default: throw error
                }
            }
        }
        return unknown
    }

    /// Whether the keybag says that it had a key of that number, and has destroyed it.
    func isDestroyed(_ id: UInt32) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            try load(id)
            return false
        } catch {
            switch error.cause {
            case .notFound: return true
            case .unsealable, .locked: return false
            default: throw error
            }
        }
    }
}
