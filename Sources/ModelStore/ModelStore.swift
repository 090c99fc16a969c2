// ModelStore
