// The page is a file that has all its data.

inflated('games-index').then((columns) => start(new Games(columns))).catch(cannotBeShown);
