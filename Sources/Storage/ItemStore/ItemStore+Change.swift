import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// Carries out a change once (``RowStore/repeating(_:clear:_:)``); a conflicting item stays unless it is
    /// damaged.
    func repeating(
        _ request: ChangeRequest,
        _ prepare: () throws(KeychainError) -> (WriteSession) throws(KeychainError) -> Attempt
    ) throws(KeychainError) -> FirstAnswer? {
        let answer = try engine.repeating(request, clear: clear, prepare)
        if answer == nil { maintainIfDue() }
        return answer
    }

    private func clear(_ uniqueDigest: [UInt8]) throws(KeychainError) {
        guard try clearDamaged(uniqueDigest: uniqueDigest) else {
            throw KeychainError(.duplicateItem, "an item with the same unique attributes is in the store already")
        }
    }
}
