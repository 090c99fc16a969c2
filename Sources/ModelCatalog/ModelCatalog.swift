// ModelCatalog
