import ChatelaineModel

extension MetadataKeys {
    /// Fetches those keys that are not at hand; answers which of them the keybag does not have.
    ///
    /// Keys of locked classes stay away. Throws where the key custodian cannot be asked.
    func fetch(_ wanted: Set<UInt32>) throws(KeychainError) -> Set<UInt32> {
        let present = all
        var unknown: Set<UInt32> = []
        for id in wanted where present[id] == nil {
            do throws(KeychainError) {
                try load(id)
            } catch {
                switch error.cause {
                // One that was destroyed opens nothing either.
                case .unsealable, .notFound: unknown.insert(id)
                case .locked: break
                default: throw error
                }
            }
        }
        return unknown
    }
}
