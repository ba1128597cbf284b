import ChatelaineModel

/// The keys that the keybag does not have, so that nothing opens the data under them.
struct LostKeys {
    var unknown: Set<UInt32> = []
    var destroyed: Set<UInt32> = []

    /// Whether a row of a class under this key is damaged.
    ///
    /// A row of the passcode class is not: its keys are destroyed with the passcode, and ``ItemStore/purgeDestroyed()``
    /// deletes it.
    func makeDamaged(_ key: UInt32, _ accessibility: Accessibility) -> Bool {
        unknown.contains(key) || destroyed.contains(key) && accessibility != .whenPasscodeSetThisDeviceOnly
    }
}

extension MetadataKeys {
    /// Fetches the keys that are not cached; answers which of them the keybag does not have.
    ///
    /// Keys of locked classes are left out. Throws where the key custodian cannot be asked.
    func fetch(_ wanted: Set<UInt32>) throws(KeychainError) -> LostKeys {
        let present = all
        var lost = LostKeys()
        for id in wanted where present[id] == nil {
            do throws(KeychainError) {
                try load(id)
            } catch {
                switch error.cause {
                case .unsealable: lost.unknown.insert(id)
                case .keyDestroyed: lost.destroyed.insert(id)
                case .locked: break
                default: throw error
                }
            }
        }
        return lost
    }

    /// Whether the keybag had a key of that number and has destroyed it.
    func isDestroyed(_ id: UInt32) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            try load(id)
            return false
        } catch {
            switch error.cause {
            case .keyDestroyed: return true
            case .unsealable, .locked: return false
            default: throw error
            }
        }
    }
}
