print("checks: none yet")
