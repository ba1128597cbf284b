import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Sealing
import Synchronization

@testable import Enclave

/// Short forms of requests that every test uses.
extension Enclave {
    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws -> StoreKeys {
        let keys = try checked(OpenStore(store, isEmpty: isEmpty))
        return keys
    }

    func metadataKeyForSealing(_ accessibility: Accessibility, in store: StoreIdentifier) throws -> MetadataKey {
        let key = try checked(ReadMetadataKeyForSealing(accessibility, in: store))
        return key
    }

    func metadataKey(_ id: UInt32, in store: StoreIdentifier) throws -> MetadataKey {
        let key = try checked(ReadMetadataKey(id: id, in: store))
        return key
    }

    /// Makes row keys in the store of the first row, unless another store is named.
    func createRowKeys(_ contexts: [RowContext], in store: StoreIdentifier? = nil) throws -> [NewRowKey] {
        let store = store ?? contexts[0].store
        let keys = try checked(CreateRowKeys(contexts, in: store))
        return keys
    }

    /// Opens row keys in the store of the first row, unless another store is named.
    func openRowKeys(
        _ keys: [WrappedRowKey], in store: StoreIdentifier? = nil
    ) throws -> [Result<SecretBytes, KeychainError>] {
        let store = store ?? keys[0].context.store
        let keys = try checked(OpenRowKeys(keys, in: store))
        return Array(keys)
    }

    /// Why a request is not carried out; nil where it is.
    func failure(of request: some EnclaveRequest, passcodes: [SecretBytes] = []) -> KeychainError? {
        if case .failure(let error) = answer(request, passcodes: passcodes) { error } else { nil }
    }
}

/// The error for a reply of another kind than the request expects.
struct Unexpected: Error {}

extension RowContext {
    static func sample(_ store: StoreIdentifier, _ accessibility: Accessibility = .whenUnlocked) -> RowContext {
        RowContext(
            store: store, row: ItemIdentifier(), version: 1, itemClass: .genericPassword, accessibility: accessibility,
            isSynchronizable: false, isTombstone: false, groupDigest: Bytes16(repeating: 3))
    }
}

extension NewRowKey {
    func wrapped(in context: RowContext) -> WrappedRowKey {
        WrappedRowKey(classKeyID: classKeyID, wrapped: wrapped, context: context)
    }
}

extension Result where Failure == KeychainError {
    var status: Status {
        guard case .failure(let error) = self else { return .success }
        return error.status
    }

    var reason: String {
        guard case .failure(let error) = self else { return "" }
        return error.reason
    }
}

/// The error that a call throws, nil where it throws none.
func failure(_ body: () throws -> Void) -> KeychainError? {
    do { try body() } catch { return error as? KeychainError }
    return nil
}

/// A result that is computed on a thread of its own, and waited for.
final class Work<Value: Sendable>: Sendable {
    private let found = Mutex<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let value = Result(catching: body)
            found.withLock { $0 = value }
        }
    }

    func value() throws -> Value {
        while true {
            if let value = found.withLock({ $0 }) { return try value.get() }
            usleep(1000)
        }
    }
}
