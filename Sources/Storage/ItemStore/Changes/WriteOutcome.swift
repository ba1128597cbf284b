/// How a transaction ends, and what comes of it.
enum WriteOutcome<Value: Sendable>: Sendable {
    case commit(Value)
    case rollback(Value)
}
