from fewaspect.cli.app import main

main()
