import { element } from "../../pages/dom.ts";
import type { TableColumn } from "./columns.ts";
import type { RowOrder } from "./row-order.ts";

/** The cell above a column: its title, with which rows are sorted where they can be. */
export function headCell<Row>(
  { id, title, kind, ascending }: TableColumn<Row>,
  order: RowOrder | undefined,
  sort: () => void,
): HTMLElement {
  const cell = element("th", { className: kind, scope: "col" });
  if (!ascending) {
    cell.append(kind === "commands" ? element("span", { className: "unseen" }, [title]) : title);
    return cell;
  }
  cell.setAttribute("aria-sort", order?.column !== id ? "none" : order.descending ? "descending" : "ascending");
  const button = element("button", { type: "button", className: "sort" }, [title]);
  button.onclick = sort;
  cell.append(button);
  return cell;
}
