"""From Lark's tree to the nodes: one function for each rule of the grammar."""
