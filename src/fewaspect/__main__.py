from fewaspect.cli import main

main()
