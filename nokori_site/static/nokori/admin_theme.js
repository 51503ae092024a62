// The theme that was chosen on the pages, set before anything is drawn.
"use strict";
document.documentElement.dataset.theme = /(?:^|; )nokori_theme=(light|dark|auto)/.exec(document.cookie)?.[1] ?? "auto";
