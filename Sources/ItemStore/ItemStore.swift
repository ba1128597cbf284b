import ChatelaineMemory
import ChatelaineModel
public struct StoreEvent: Sendable {}
public struct StoreStatistics: Sendable {
    public var store: ItemIdentifier
    public var schemaVersion: Int64
    public var sequence: UInt64
    public var items: [ItemClass: Int]
    public var tombstones: Int
    public var quarantined: Int
    public var losses: Int
    public var databaseBytes: Int64
    public var logBytes: Int64
}
public protocol StoreKeySource: Sendable {
  func openStore(_ store: ItemIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys
  func metadataKeyForSealing(_ c: Accessibility) throws(KeychainError) -> MetadataKey
  func metadataKey(id: UInt32) throws(KeychainError) -> MetadataKey
  func createRowKeys(_ contexts: [RowContext]) throws(KeychainError) -> [NewRowKey]
  func openRowKeys(_ keys: [WrappedRowKey]) throws(KeychainError) -> [Result<SecretBytes, KeychainError>]
}
public struct ChangeRequest { public init(caller: [UInt8], identifier: [UInt8], digest: [UInt8]) throws(KeychainError) {} }
public final class ItemStore: Sendable {
  public init(folder: String, keys: any StoreKeySource, report: @escaping @Sendable (StoreEvent) -> Void) throws(KeychainError) {}
  public func add(_ item: ItemQuery, group: String, change: ChangeRequest) throws(KeychainError) -> FoundItem { throw KeychainError(.param, "") }
  public func find(_ query: ItemQuery, groups: [String]) throws(KeychainError) -> [FoundItem]  { throw KeychainError(.param, "") }
  public func update(_ query: ItemQuery, _ change: ItemChange, groups: [String], request: ChangeRequest) throws(KeychainError) {}
  public func delete(_ query: ItemQuery, groups: [String], request: ChangeRequest) throws(KeychainError) {}
  public func statistics() throws(KeychainError) -> StoreStatistics { throw KeychainError(.param, "") }
}
