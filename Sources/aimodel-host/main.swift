print("aimodel-host")
