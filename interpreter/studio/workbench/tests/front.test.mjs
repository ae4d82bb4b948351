/** The picture in README.md shows the workbench as it is: compared in greys, so that the fonts of another machine do not matter. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PICTURE, front, taken } from "./front.mjs";

/** How far the greys of two pictures may differ, on average and in one place, of 255. */
const MEAN = 8;
const MOST = 70;

/** A picture as 48 by 30 greys. */
const shrunk = (page, picture) =>
  page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 48, height: 30 });
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, 48, 30);
    const { data: points } = context.getImageData(0, 0, 48, 30);
    return Array.from({ length: 48 * 30 }, (_, at) => Math.round((points[4 * at] + points[4 * at + 1] + points[4 * at + 2]) / 3));
  }, picture.toString("base64"));

test("the picture in README.md is how the workbench looks; `npm run picture` takes it anew", async () => {
  const { desk, end } = await front();
  try {
    const [now, before] = [await shrunk(desk.page, await taken(desk)), await shrunk(desk.page, readFileSync(PICTURE))];
    const apart = now.map((each, at) => Math.abs(each - before[at]));
    assert.ok(Math.max(...apart) <= MOST, `one place differs by ${Math.max(...apart)}`);
    assert.ok(apart.reduce((sum, each) => sum + each, 0) / apart.length <= MEAN);
  } finally {
    await end();
  }
});
